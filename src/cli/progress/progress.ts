// What a command can do with the progress on the screen, live or in lines.

/** Progress that is being shown. */
export interface Progress {
  /** Prints lines that stay. */
  say(lines: readonly string[]): void
  /** Clears the screen's area for something else, such as a question. */
  suspend(): void
  resume(): void
  close(): void
}
