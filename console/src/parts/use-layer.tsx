import type { ReactNode } from 'react'
import { useInnerScope } from './unsaved.tsx'
import { useEscape } from './use-escape.ts'

interface LayerTools {
  /** Closes the layer. Asks first if a form inside has edits. */
  readonly leave: () => void
  /** Wraps the content of the layer in its scope of unsaved edits. */
  readonly wrap: (children: ReactNode) => ReactNode
}

/** Shared by panels and dialogs: Escape closes the topmost one, and edits are not discarded without a question. */
export function useLayer(isOpen: boolean, onClose: () => void): LayerTools {
  const [scope, wrap] = useInnerScope()
  const leave = () => scope.leave(onClose)
  useEscape(isOpen, leave)
  return { leave, wrap }
}
