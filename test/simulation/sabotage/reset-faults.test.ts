import { describe } from '@jest/globals';
import { proveCaught } from './prove-caught';
import { RESET_FAULTS } from './reset-catalogue';

describe('a factory reset that', () => proveCaught(RESET_FAULTS));
