import { describeRaspberryPi } from './checks/raspberry-pi';

describeRaspberryPi(0);
