import { describe } from '@jest/globals';
import { PIN_FAULTS } from './pin-catalogue';
import { proveCaught } from './prove-caught';

describe('a technician page that', () => proveCaught(PIN_FAULTS));
