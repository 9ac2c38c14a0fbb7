import { describe } from '@jest/globals';
import { proveCaught } from './prove-caught';
import { RIGHTS_FAULTS } from './rights-catalogue';

describe('a server that', () => proveCaught(RIGHTS_FAULTS));
