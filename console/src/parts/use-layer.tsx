import { createContext, type ReactNode, useContext, useEffect, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useConfirm } from './use-confirm.tsx'
import { useEscape } from './use-escape.ts'

type Report = (id: string, isUnsaved: boolean) => void

const UnsavedContext = createContext<Report>(() => undefined)

/** A form inside a panel or a dialog says whether it holds what would be lost. */
export function useUnsaved(isUnsaved: boolean): void {
  const report = useContext(UnsavedContext)
  const id = useId()
  useEffect(() => {
    report(id, isUnsaved)
    return () => report(id, false)
  }, [report, id, isUnsaved])
}

interface LayerTools {
  /** Closes, and asks first when a form inside holds edits. */
  readonly leave: () => void
  /** Puts the content of the layer into the place where its forms report. */
  readonly wrap: (children: ReactNode) => ReactNode
}

/** What panels and dialogs share: Escape closes one at a time, and edits are not thrown away unasked. */
export function useLayer(isOpen: boolean, onClose: () => void): LayerTools {
  const { t } = useTranslation()
  const unsaved = useRef(new Set<string>())
  const report = useRef<Report>((id, isUnsaved) => {
    if (isUnsaved) unsaved.current.add(id)
    else unsaved.current.delete(id)
  })
  const [ask, question] = useConfirm()
  const leave = () => {
    if (unsaved.current.size === 0) return onClose()
    ask({
      title: t('unsaved.title'),
      text: t('unsaved.text'),
      action: t('unsaved.discard'),
      cancel: t('unsaved.stay'),
      onYes: onClose,
    })
  }
  useEscape(isOpen, leave)
  const wrap = (children: ReactNode) => (
    <UnsavedContext value={report.current}>
      {children}
      {question}
    </UnsavedContext>
  )
  return { leave, wrap }
}
