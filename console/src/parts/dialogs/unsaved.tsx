import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useConfirm } from './use-confirm.tsx'

/** The edits of one form. `isDropped` is true after the user has agreed to discard them. */
interface Edits {
  readonly isUnsaved: () => boolean
  isDropped: boolean
}

type Go = () => void

/**
 * A part of the screen that is left as a whole: a tab, a panel, a dialog, the page. It knows the edits of all forms
 * inside.
 */
export interface UnsavedScope {
  add(edits: Edits): () => void
  hasUnsaved(): boolean
  /** Runs `go`. If edits would be lost, asks first. */
  leave(go: Go, stay?: Go): void
  /** Discards the edits inside without asking, because the resource was deleted. */
  drop(): void
  ask(all: Iterable<Edits>, go: Go, stay?: Go): void
}

/** Used before sign-in, where a form is left without a question. */
const nowhere: UnsavedScope = {
  add: () => () => undefined,
  hasUnsaved: () => false,
  leave: (go) => go(),
  drop: () => undefined,
  ask: (_all, go) => go(),
}

const ScopeContext = createContext(nowhere)

function isLost({ isUnsaved, isDropped }: Edits): boolean {
  return !isDropped && isUnsaved()
}

function drop(all: Iterable<Edits>): void {
  for (const edits of all) edits.isDropped = true
}

function makeScope(parent: UnsavedScope): UnsavedScope {
  const all = new Set<Edits>()
  return {
    add: (edits) => {
      all.add(edits)
      const leaveParent = parent.add(edits)
      return () => {
        all.delete(edits)
        leaveParent()
      }
    },
    hasUnsaved: () => [...all].some(isLost),
    leave: (go, stay) => parent.ask(all, go, stay),
    drop: () => drop(all),
    ask: parent.ask,
  }
}

/**
 * Registers a form. `isUnsaved` is called when the user leaves. Returns a function that leaves only this form, for its
 * Cancel button.
 */
export function useUnsaved(isUnsaved: () => boolean): (go: Go) => void {
  const scope = useContext(ScopeContext)
  const latest = useRef(isUnsaved)
  useEffect(() => {
    latest.current = isUnsaved
  })
  const edits = useRef<Edits>({ isUnsaved: () => latest.current(), isDropped: false }).current
  useEffect(() => scope.add(edits), [scope, edits])
  return (go) => scope.ask([edits], go)
}

/** The innermost scope around a component. */
export function useScope(): UnsavedScope {
  return useContext(ScopeContext)
}

/** A scope inside another one, and a function that wraps its content. */
export function useInnerScope(): [UnsavedScope, (children: ReactNode) => ReactNode] {
  const parent = useContext(ScopeContext)
  const scope = useMemo(() => makeScope(parent), [parent])
  return [scope, (children) => <ScopeContext value={scope}>{children}</ScopeContext>]
}

/** The outermost scope. It renders the one dialog that asks about edits. */
export function useOuterScope(): [UnsavedScope, (children: ReactNode) => ReactNode] {
  const { t } = useTranslation()
  const [confirm, dialog] = useConfirm()
  const ask = useRef<UnsavedScope['ask']>(nowhere.ask)
  useEffect(() => {
    ask.current = (all, go, stay) => {
      if (![...all].some(isLost)) return go()
      confirm({
        title: t('unsaved.title'),
        text: t('unsaved.text'),
        action: t('unsaved.discard'),
        cancel: t('unsaved.stay'),
        onYes: () => {
          drop(all)
          go()
        },
        ...(stay && { onNo: stay }),
      })
    }
  })
  const scope = useMemo(
    () => makeScope({ ...nowhere, ask: (all, go, stay) => ask.current(all, go, stay) }),
    [],
  )
  const wrap = (children: ReactNode) => (
    <ScopeContext value={scope}>
      {children}
      {dialog}
    </ScopeContext>
  )
  return [scope, wrap]
}
