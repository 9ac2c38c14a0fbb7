// Opens a gate and says what became of it:
//   RELAYGATE_URL=http://127.0.0.1:8080/api CLIENT_KEY=rgc_... node example.mjs PRODUCT_LOGIN NUM_OUTPUT
// `npm run demo` prints all four.
import { RelaygateClient, RelaygateError } from '@relaygate/client';

const { RELAYGATE_URL: baseUrl, CLIENT_KEY: clientKey } = process.env;
const [productLogin, numOutput] = process.argv.slice(2);
const client = new RelaygateClient({ baseUrl, clientKey });
const output = client.product(productLogin).output(Number(numOutput));

try {
  const { outcome, commandId, replayed } = await output.set(1);
  console.log(`${outcome}${replayed ? ', by a try whose answer was lost' : ''} (command ${commandId})`);
  const { name, state, observedAt } = await output.state();
  console.log(`${name ?? 'The output'} was reported as ${state} at ${observedAt}`);
} catch (error) {
  if (!(error instanceof RelaygateError)) throw error;
  process.exitCode = 1;
  console.log(`Failed: ${error.message}`);
  if (!error.mayHaveMoved) console.log('Certainly nothing has moved.');
  else if (error.commandId === undefined) console.log('It may have moved: look at the gate.');
  else {
    const { outcome, reason } = await client.command(error.commandId);
    console.log(`The command is ${outcome}${reason ? ` (${reason})` : ''}`);
  }
}
