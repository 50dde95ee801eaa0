/** Stops one request from our side. Like an AbortController, but one of these costs next to nothing. */
export class StopSwitch {
  isStopped = false
  /** Called at most once, by whoever must act on it. */
  onStop: (() => void) | undefined

  stop(): void {
    if (this.isStopped) return
    this.isStopped = true
    this.onStop?.()
    this.onStop = undefined
  }
}
