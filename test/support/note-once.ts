const noted = new Set<string>()

/** Prints a fact about this run on one line, once; `npm test` shows the line beside the suite's figures. */
export function noteOnce(text: string): void {
  if (noted.has(text)) return
  noted.add(text)
  process.stderr.write(`\nNOTE: ${text}\n`)
}
