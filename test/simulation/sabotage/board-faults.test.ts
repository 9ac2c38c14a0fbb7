import { describe } from '@jest/globals';
import { BOARD_FAULTS } from './board-catalogue';
import { proveCaught } from './prove-caught';

describe('a device that', () => proveCaught(BOARD_FAULTS));
