import { describe } from '@jest/globals';
import { DEVICE_FAULTS } from './device-catalogue';
import { proveCaught } from './prove-caught';

describe('a device that', () => proveCaught(DEVICE_FAULTS));
