import { memo, type ReactNode } from 'react'
import { useInnerScope } from './unsaved.tsx'
import { useEscape } from './use-escape.ts'

interface LayerTools {
  /** Closes the layer. Asks first if a form inside has edits. */
  readonly leave: () => void
  /** Wraps the content of the layer in its scope of unsaved edits. */
  readonly wrap: (children: ReactNode) => ReactNode
}

/** A closing layer keeps its last content until it is gone, because the page no longer has the data. */
const Held = memo(
  ({ children }: { isHeld: boolean; children: ReactNode }) => children,
  (_before, { isHeld }) => isHeld,
)

/** Shared by panels and dialogs: Escape closes the topmost one, and edits are not discarded without a question. */
export function useLayer(isOpen: boolean, onClose: () => void): LayerTools {
  const [scope, wrap] = useInnerScope()
  const leave = () => scope.leave(onClose)
  useEscape(isOpen, leave)
  return { leave, wrap: (children) => wrap(<Held isHeld={!isOpen}>{children}</Held>) }
}
