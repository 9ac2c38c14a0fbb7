import { describe } from '@jest/globals';
import { proveCaught } from './prove-caught';
import { SERVER_FAULTS } from './server-catalogue';

describe('a server that', () => proveCaught(SERVER_FAULTS));
