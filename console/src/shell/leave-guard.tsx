import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useCallback } from 'react'
import { useOuterScope } from '../parts/dialogs/unsaved.tsx'

/** Asks before navigation discards edits. When the user leaves the console itself, the browser asks. */
export function LeaveGuard({ children }: { children: ReactNode }) {
  const [scope, wrap] = useOuterScope()
  useBlocker({
    shouldBlockFn: useCallback(
      () =>
        new Promise<boolean>((resolve) => {
          scope.leave(
            () => resolve(false),
            () => resolve(true),
          )
        }),
      [scope],
    ),
    enableBeforeUnload: scope.hasUnsaved,
  })
  return wrap(children)
}
