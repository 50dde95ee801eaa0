import { Modal, type ModalProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useLayer } from './use-layer.tsx'

interface DialogProps extends Pick<ModalProps, 'size' | 'zIndex'> {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  readonly children: ReactNode
}

/** A modal form above the page and above panels. */
export function Dialog({ isOpen, onClose, title, children, ...props }: DialogProps) {
  const { t } = useTranslation()
  const { leave, wrap } = useLayer(isOpen, onClose)
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      closeOnEscape={false}
      title={title}
      closeButtonProps={{ 'aria-label': t('close') }}
      {...props}
    >
      {wrap(children)}
    </Modal>
  )
}
