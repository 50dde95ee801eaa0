import { openWorkerLink, type WorkerLink } from './worker-link.ts'
import { readRole } from './worker-role.ts'

/**
 * The link of this process to the supervisor that started it. A terminal sends its signals to all processes; only the
 * supervisor acts on them. Undefined if no supervisor started this process.
 */
export function joinSupervisor(roleText: string): WorkerLink | undefined {
  const role = process.send && readRole(roleText)
  if (!role) return undefined
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  return openWorkerLink(role, {
    send: (message, onSent) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => onSent?.())
      else onSent?.()
    },
    onMessage: (listener) => process.on('message', listener),
    onClosed: (listener) => process.on('disconnect', listener),
    onTerminate: (listener) => process.on('SIGTERM', listener),
    exit: () => process.exit(1),
  })
}
