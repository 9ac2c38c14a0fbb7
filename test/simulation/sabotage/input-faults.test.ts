import { describe } from '@jest/globals';
import { INPUT_FAULTS } from './input-catalogue';
import { proveCaught } from './prove-caught';

describe('a system that', () => proveCaught(INPUT_FAULTS));
