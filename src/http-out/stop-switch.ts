/** Stops one request from the gateway's side. Like an AbortController, but far cheaper. */
export class StopSwitch {
  isStopped = false
  /** Called at most once. */
  onStop: (() => void) | undefined

  stop(): void {
    if (this.isStopped) return
    this.isStopped = true
    this.onStop?.()
    this.onStop = undefined
  }
}

/** For occasional requests that an AbortSignal stops. */
export function stopOn(signal: AbortSignal): StopSwitch {
  const stop = new StopSwitch()
  if (signal.aborted) stop.stop()
  else signal.addEventListener('abort', () => stop.stop(), { once: true })
  return stop
}
