/** A line without an end is cut here, so that a worker cannot fill the memory of the supervisor. */
const lineCharactersMax = 1024 * 1024

/**
 * Passes the output of a worker on in whole lines, so that the lines of several workers never mix. A log line carries
 * the number of its worker already; any other line gets it in front.
 */
export function relayLines(
  worker: number,
  write: (text: string) => void,
): { add(bytes: Uint8Array): void; end(): void } {
  const decoder = new TextDecoder()
  let rest = ''
  const relay = (lines: readonly string[]): void => {
    const numbered = lines.map((line) =>
      line.startsWith('{') || line === '' ? `${line}\n` : `worker ${worker}: ${line}\n`,
    )
    if (numbered.length > 0) write(numbered.join(''))
  }
  return {
    add: (bytes) => {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > lineCharactersMax) {
        lines.push(rest)
        rest = ''
      }
      relay(lines)
    },
    end: () => {
      if (rest !== '') relay([rest])
      rest = ''
    },
  }
}
