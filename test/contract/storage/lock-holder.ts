/** A program that holds the write lock of a database: FILE MILLISECONDS. Prints `locked` when it has it. */
import { openWriteConnection } from '@relaygate/server/storage/sqlite/database-file';

const [file = '', holdMs = '0'] = process.argv.slice(2);

const db = openWriteConnection(file);
db.exec('BEGIN IMMEDIATE');
console.log('locked');
setTimeout(() => {
  db.exec('ROLLBACK');
  db.close();
}, Number(holdMs));
