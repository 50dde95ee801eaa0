import { StopSwitch } from './stop-switch.ts'

/** For occasional requests that an AbortSignal stops. */
export function stopOn(signal: AbortSignal): StopSwitch {
  const stop = new StopSwitch()
  if (signal.aborted) stop.stop()
  else signal.addEventListener('abort', () => stop.stop(), { once: true })
  return stop
}
