import { describe } from '@jest/globals';
import { BESIDE_FAULTS } from './beside-catalogue';
import { proveCaught } from './prove-caught';

describe('a device that', () => proveCaught(BESIDE_FAULTS));
