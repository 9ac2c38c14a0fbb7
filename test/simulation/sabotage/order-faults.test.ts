import { describe } from '@jest/globals';
import { ORDER_FAULTS } from './order-catalogue';
import { proveCaught } from './prove-caught';

describe('a system that', () => proveCaught(ORDER_FAULTS));
