import { describe } from '@jest/globals';
import { sqliteOnFile } from './sqlite-on-file';
import { storageContract } from './storage-contract';

describe('SQLite with a writer thread, on a file', () => storageContract(sqliteOnFile(false)));
