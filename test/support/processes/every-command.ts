/** The three programs that people type, as they are started by hand. */
import { type ChildProcess, spawn } from 'node:child_process';
import { bareEnvironment, ROOT } from './program';

const PROGRAMS = {
  relayctl: 'device-agent/bin/relayctl.js',
  'relaygate-server': 'server/bin/relaygate-server.js',
  'relaygate-flash': 'hardware/bin/relaygate-flash.js',
} as const;
export type ProgramName = keyof typeof PROGRAMS;
export const PROGRAM_NAMES = Object.keys(PROGRAMS) as ProgramName[];

export interface Typed {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

type Stream = 'pipe' | number;

/** Runs one command line; `began` is called with the process as soon as there is one. */
export async function typed(
  name: ProgramName,
  args: readonly string[],
  {
    stdout = 'pipe',
    env = {},
    began = () => {},
    fileBlocks,
  }: {
    stdout?: Stream;
    env?: Record<string, string>;
    began?(child: ChildProcess): void;
    /** No file that it writes gets longer than this many blocks of 512 bytes. */
    fileBlocks?: number;
  } = {},
): Promise<Typed> {
  const limit = fileBlocks === undefined ? ':' : `ulimit -f ${fileBlocks}`;
  const child = spawn('sh', ['-c', `${limit}; exec "$@"`, 'sh', process.execPath, PROGRAMS[name], ...args], {
    cwd: ROOT,
    env: { ...bareEnvironment(), ...env },
    stdio: ['ignore', stdout, 'pipe'],
  });
  const read = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    read.out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    read.err += text;
  });
  began(child);
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, ...read })));
}

export interface KnownCommand {
  words: readonly string[];
  help: string;
}

/** Every command of a program as its help lists them, the program itself first: none, client, client create ... */
export async function commandsOf(name: ProgramName, words: readonly string[] = []): Promise<KnownCommand[]> {
  const { out: help } = await typed(name, [...words, '--help']);
  const [, listed = ''] = /^Commands:\n((?: {2}.*\n)+)/m.exec(help) ?? [];
  const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].flatMap(([, word]) => (word === 'help' ? [] : (word ?? [])));
  const below = await Promise.all(names.map((word) => commandsOf(name, [...words, word])));
  return [{ words, help }, ...below.flat()];
}
