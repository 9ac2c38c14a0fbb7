/** The person at the terminal, a port. */
export interface Terminal {
  /** Whether a person sits there: not for a script, nor through a pipe. */
  isInteractive(): boolean;
  /** The answer without blanks around it; null: nobody answers any more. */
  ask(question: string): Promise<string | null>;
  /** Prints a note beside the command's output. */
  note(text: string): void;
  /** Shows one line that the next one overwrites, if somebody watches. An empty one leaves nothing. */
  progress(text: string): void;
  /** A file's text, of `-` that of stdin. Throws the system's error. */
  textOf(file: string): string;
}
