/** The part of the card that a PC can read, as a port: FAT, and read-only except while something is written. */
export interface BootPartition {
  /** The text of a file in its root folder, or null when there is no such file. */
  read(name: string): Promise<string | null>;
  /**
   * Resolves when it is durable. After a power cut the file is the old one or the new one, as far as FAT can promise it.
   */
  replace(name: string, text: string): Promise<void>;
  /**
   * Writes over a file where it lies, so that its old bytes are gone; durable when it resolves. A shorter text is filled up
   * with blanks. After a power cut the file may be a mixture.
   */
  overwrite(name: string, text: string): Promise<void>;
}
