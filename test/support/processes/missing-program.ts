import { execFileSync } from 'node:child_process';

/** For a suite or a launcher that needs a program; undefined when it is installed. */
export function missingProgram(program: string, debianPackage: string): string | undefined {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`]);
    return undefined;
  } catch {
    return `${program} is missing (Debian package ${debianPackage})`;
  }
}
