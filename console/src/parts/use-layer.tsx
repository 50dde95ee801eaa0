import type { ReactNode } from 'react'
import { useInnerScope } from './unsaved.tsx'
import { useEscape } from './use-escape.ts'

interface LayerTools {
  /** Closes, and asks first when a form inside holds edits. */
  readonly leave: () => void
  /** Puts the content of the layer into the place where its forms report. */
  readonly wrap: (children: ReactNode) => ReactNode
}

/** What panels and dialogs share: Escape closes one at a time, and edits are not thrown away unasked. */
export function useLayer(isOpen: boolean, onClose: () => void): LayerTools {
  const [scope, wrap] = useInnerScope()
  const leave = () => scope.leave(onClose)
  useEscape(isOpen, leave)
  return { leave, wrap }
}
