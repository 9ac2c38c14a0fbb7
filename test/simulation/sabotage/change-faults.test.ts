import { describe } from '@jest/globals';
import { CHANGE_FAULTS } from './change-catalogue';
import { proveCaught } from './prove-caught';

describe('a server that', () => proveCaught(CHANGE_FAULTS));
