/** Resolves when the event loop has run everything that waits now. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
