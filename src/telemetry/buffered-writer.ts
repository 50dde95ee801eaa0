/**
 * Collects the log lines of one turn of the event loop into one write: a system call per line would cost more than the
 * line.
 */
export function bufferedWriter(write: (text: string) => void): (line: string) => void {
  let pending = ''
  const flush = (): void => {
    const text = pending
    pending = ''
    write(text)
  }
  return (line) => {
    if (pending === '') setImmediate(flush)
    pending += line
  }
}
