import { describe } from '@jest/globals';
import { proveCaught } from './prove-caught';
import { WRITER_FAULTS } from './writer-catalogue';

describe('a server that', () => proveCaught(WRITER_FAULTS));
