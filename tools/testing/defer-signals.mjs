/**
 * Keeps the process alive after any signal until the database is stopped and its folder deleted.
 * @returns {{ exitCode: () => number }} 0 while no signal has come
 */
export function deferSignals() {
  let interruptedBy = 0
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, (_name, number) => {
      interruptedBy = 128 + number
    })
  }
  return { exitCode: () => interruptedBy }
}
