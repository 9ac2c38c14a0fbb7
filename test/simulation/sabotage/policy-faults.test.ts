import { describe } from '@jest/globals';
import { POLICY_FAULTS } from './policy-catalogue';
import { proveCaught } from './prove-caught';

describe('a guard that', () => proveCaught(POLICY_FAULTS));
