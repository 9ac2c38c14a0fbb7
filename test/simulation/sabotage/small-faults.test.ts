import { describe } from '@jest/globals';
import { proveCaught } from './prove-caught';
import { SMALL_FAULTS } from './small-catalogue';

describe('a system that', () => proveCaught(SMALL_FAULTS));
