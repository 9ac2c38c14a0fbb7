/** What the agent serves: small, whole in itself, and nothing in it that its own policy would forbid. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const DIST = resolve(__dirname, '../../../../device-agent/page/dist');
const MAX_BYTES = 62_000;

const names = readdirSync(DIST);
const textOf = (name: string): string => readFileSync(join(DIST, name), 'utf8');

describe('the built page', () => {
  test('is three files of less than 62,000 bytes in all', () => {
    expect(names.sort()).toEqual(['app.js', 'index.html', 'style.css']);
    const bytes = names.reduce((sum, name) => sum + readFileSync(join(DIST, name)).length, 0);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  test('names no other host', () => {
    // The two are names of XML, which nobody fetches.
    const hosts = names.flatMap((name) => textOf(name).match(/https?:\/\/[\w.]+/g) ?? []);
    expect(hosts.filter((host) => host !== 'http://www.w3.org')).toEqual([]);
  });

  test('has no script, style or handler of its own in the HTML', () => {
    expect(textOf('index.html')).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|\sstyle=/);
  });
});
