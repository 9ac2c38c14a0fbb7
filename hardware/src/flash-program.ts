/** The command line of relaygate-flash. */

import { commandLine, runCommandLine } from '@relaygate/device-agent/runtime/command-line';
import { badUsage } from '@relaygate/device-agent/runtime/complaint';
import { problemOf } from '@relaygate/device-agent/runtime/problem';
import { RelaygateError } from '@relaygate/shared';
import type { BoardProfile } from '@relaygate/shared/device';
import type { Command } from 'commander';
import { type PrepareDeps, type Prepared, type PrepareRequest, prepare, type SiteRequestOfOne } from './prepare';
import { type ProgressStyle, sizeWords } from './progress';
import { type CompletedLabel, completeLabel } from './site/site-label';
import { type WriteDeps, type Written, write } from './write';

export interface FlashDeps
  extends Omit<PrepareDeps, 'profiles' | 'areProfilesOwn' | 'progress' | 'report'>,
    Omit<WriteDeps, 'progress'> {
  version: string;
  print(text: string): void;
  complain(text: string): void;
  /** Raw, for a bar. */
  progressTo: { isTerminal: boolean; write(text: string): void; nowMs(): number };
  /** The text of a file, `-` that of stdin. Throws the system's error. */
  textOf(file: string): string;
  boards(folder: string | undefined): BoardProfile[];
  /** From now on the system's signals to end abort this one, with a reason in words. */
  stopSignal(): AbortSignal;
}

/** What a site is asked for has its option's name, but for these. */
interface PrepareOptions
  extends Omit<SiteRequestOfOne, 'outputs' | 'inputs' | 'ssid' | 'passphrase' | 'hidden' | 'requireProof'> {
  image?: string;
  out: string;
  productKeyFile?: string;
  enrolmentFile?: string;
  boardFile?: string;
  outputsFile?: string;
  inputsFile?: string;
  wifi?: string;
  wifiPassphraseFile?: string;
  wifiHidden?: true;
  batch?: string;
  settingsOnly?: true;
  proof: boolean;
  pin: boolean;
  force?: true;
  profiles?: string;
}

interface WriteOptions {
  image: string;
  device: string;
  confirm?: string;
  allowFixed?: boolean;
}

interface LabelOptions {
  site: string;
  from: string;
}

export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

const EXAMPLES = `
Examples:
  relaygate-flash prepare --image relaygate.img --out gate.img --server wss://gate.example.com --product gate-1 \\
    --enrolment-file code.txt --board waveshare-rpi-relay-board-b --accept-boot-level \\
    --wifi "Chez nous" --wifi-passphrase-file wifi.txt --country FR --web-for 1h
  relaygate-flash prepare --settings-only --out gate-1 ...      the settings file alone, for any card
  relaygate-flash prepare --image relaygate.img --out cards --batch sites.csv --server ... --board ...
  relaygate-flash write --image gate.img --device /dev/sdb
  relaygate-flash label --site gate --from /media/me/RELAYGATE      once the device has run: with its fingerprint

Exit codes:
  ${EXIT.done}  done
  ${EXIT.failed}  anything else went wrong; nothing half done is left
  ${EXIT.usage}  wrong usage`;

/** Runs one command line; resolves with the exit code. */
export async function flash(argv: string[], deps: FlashDeps): Promise<number> {
  const error = await runCommandLine(programOf(argv, deps), argv, deps.complain);
  if (error === null) return EXIT.done;
  return error === 'bad-usage' ? EXIT.usage : EXIT.failed;
}

function programOf(argv: readonly string[], deps: FlashDeps): Command {
  const isJson = argv.includes('--json');
  const style: ProgressStyle = isJson ? 'json' : deps.progressTo.isTerminal ? 'bar' : 'lines';
  const progress = { style, write: deps.progressTo.write, nowMs: deps.progressTo.nowMs };
  const program = commandLine('relaygate-flash', argv, deps.complain)
    .description('Prepares cards for devices: an image with the settings of its site.')
    .version(deps.version)
    .addHelpText('after', EXAMPLES);
  const print = <Value>(value: Value, show: (value: Value) => string): void =>
    deps.print(isJson ? JSON.stringify(value) : show(value));

  prepareCommand(program).action(async (options: PrepareOptions) => {
    const profiles = deps.boards(options.profiles);
    const report = (text: string): void => (isJson ? undefined : deps.complain(text));
    print(
      await prepare(requestOf(options, deps), {
        ...deps,
        profiles,
        areProfilesOwn: options.profiles !== undefined,
        progress: { ...progress, signal: deps.stopSignal() },
        report,
      }),
      showPrepared,
    );
  });
  program
    .command('write')
    .description('writes an image onto a card and reads it back (Linux)')
    .requiredOption('--image <file>', 'an image, best one that "prepare" has made; .img or .img.gz')
    .requiredOption('--device <path>', 'the whole card, such as /dev/sdb; "lsblk" shows it')
    .option('--confirm <name>', 'the name of the device, such as sdb, instead of typing it')
    .option('--allow-fixed', 'also a disk that cannot be taken out: make sure that it is the right one')
    .option('--json', 'print JSON')
    .action(async ({ image, device, confirm, allowFixed = false }: WriteOptions) =>
      print(await write({ image, device, confirm, allowFixed }, { ...deps, progress }), showWritten),
    );
  program
    .command('label')
    .description('completes the label of a device that has run, by what it says on its card')
    .requiredOption('--site <folder>', 'where "prepare" has put label.svg')
    .requiredOption('--from <path>', "the card's boot partition as it is mounted, or a copy of relaygate-status.txt")
    .option('--json', 'print JSON')
    .action(async ({ site, from }: LabelOptions) => print(await completeLabel(site, from), showLabel));
  return program;
}

function prepareCommand(program: Command): Command {
  return program
    .command('prepare')
    .description('makes an image for a site, or for each line of a table')
    .option('--image <file>', 'the image of a card as it was downloaded; .img or .img.gz')
    .requiredOption('--out <path>', 'the image to be made; with --batch or --settings-only a folder')
    .option('--server <url>', 'wss://host or wss://host:port')
    .option('--server-name <name>', "the server's RELAYGATE_SERVER_NAME, if it has one")
    .option('--product <login>', 'the login of the product, as "product create" printed it')
    .option('--product-key <key>', 'for the label; every process of this machine can see it')
    .option('--product-key-file <file>', 'the same from a file, - for stdin')
    .option('--enrolment <code>', 'the enrolment code of that product')
    .option('--enrolment-file <file>', 'the same from a file, - for stdin')
    .option('--board <name>', 'a board of "relayctl board list"')
    .option('--board-file <file>', 'a board of your own, as "board" of relaygate-site.json')
    .option('--port <path>', 'serial boards: the port on the device')
    .option('--addresses <list>', 'Modbus boards: their addresses on the bus, such as 1,2')
    .option('--accept-boot-level', 'also a board whose relays may close at power-on')
    .option('--simulated', 'also a board in files, which moves no relay: for trying things out')
    .option('--outputs-file <file>', 'names, modes and pulses, as "outputs" of relaygate-site.json')
    .option('--inputs-file <file>', 'what inputs of the board mean, as "inputs" of relaygate-site.json')
    .option('--wifi <ssid>', 'the name of the Wi-Fi network')
    .option('--wifi-passphrase-file <file>', 'its passphrase, - for stdin')
    .option('--wifi-open', 'it has no passphrase: everybody near it can use and watch it')
    .option('--wifi-hidden', 'it does not tell its name')
    .option('--country <code>', 'where the Wi-Fi is, such as FR')
    .option('--ca <file>', "PEM of the authority behind the server's certificate, where that is a private one")
    .option('--hostname <name>', 'how the device is called on its network')
    .option('--time-servers <list>', 'asked for the time instead of those that the network names, such as 192.168.1.1')
    .option('--console <port>', 'a serial port with the menu for a technician, such as serial0 or ttyGS0')
    .option(
      '--web-button <line>',
      "GPIO boards: a button to ground that switches the technician's page on, as BCM number",
    )
    .option('--web-for <time>', 'the page is on for so long after each start, until the wiring is proven, such as 30m')
    .option('--batch <file>', 'a table of sites with a heading line (productLogin,enrolmentCode,...)')
    .option('--settings-only', 'the settings file and the label, without an image')
    .option('--no-proof', 'remote commands from the start, before anybody has proven the wiring')
    .option('--no-pin', 'make no PIN for the console and the web page of the device')
    .option('--force', 'make it anew, with a new PIN, and replace what stands there')
    .option(
      '--profiles <dir>',
      'folder of board profiles, instead of the own ones; the one that is used goes onto the card',
    )
    .option('--json', 'print JSON');
}

function requestOf(options: PrepareOptions, { textOf }: FlashDeps): PrepareRequest {
  const { image, out, settingsOnly = false, force = false, pin, batch } = options;
  const fileText = (file: string): string => {
    try {
      return textOf(file);
    } catch (error) {
      if (error instanceof RelaygateError) throw error;
      throw badUsage(`${file} cannot be read: ${problemOf(error)}.`, error);
    }
  };
  const textIn = (file: string | undefined): string | undefined => (file === undefined ? undefined : fileText(file));
  const lineIn = (file: string | undefined): string | undefined => textIn(file)?.replace(/\r?\n$/, '');
  const given: SiteRequestOfOne = {
    ...options,
    productKey: lineIn(options.productKeyFile) ?? options.productKey,
    enrolment: lineIn(options.enrolmentFile) ?? options.enrolment,
    board: textIn(options.boardFile) ?? options.board,
    requireProof: options.proof,
    outputs: textIn(options.outputsFile),
    inputs: textIn(options.inputsFile),
    ssid: options.wifi,
    passphrase: lineIn(options.wifiPassphraseFile),
    hidden: options.wifiHidden,
    ca: textIn(options.ca),
  };
  const table = batch === undefined ? null : { text: fileText(batch), file: batch };
  return { site: given, image, out, settingsOnly, batch: table, withPin: pin, force };
}

function showPrepared(all: readonly Prepared[]): string {
  return all
    .map(({ product, image, folder, wasDone }) => {
      const what = image === null ? folder : `${image} (settings and label in ${folder})`;
      return `${product}: ${what}${wasDone ? ', as before' : ''}`;
    })
    .join('\n');
}

function showWritten({ device, card, bytes }: Written): string {
  return `${device} (${card}): ${sizeWords(bytes)} written and read back. It can be taken out.`;
}

function showLabel({ file, fingerprint }: CompletedLabel): string {
  return `${file}: fingerprint ${fingerprint}`;
}
