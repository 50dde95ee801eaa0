import { StopSwitch } from './stop-switch.ts'

/** For what is sent now and then, and is stopped by a signal. */
export function stopOn(signal: AbortSignal): StopSwitch {
  const stop = new StopSwitch()
  if (signal.aborted) stop.stop()
  else signal.addEventListener('abort', () => stop.stop(), { once: true })
  return stop
}
