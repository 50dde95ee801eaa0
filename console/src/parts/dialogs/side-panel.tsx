import { Box, Drawer, type DrawerProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useLayer } from './use-layer.tsx'

interface SidePanelProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  readonly size?: DrawerProps['size']
  readonly children: ReactNode
}

/** A form or details beside the list; on a phone it covers the screen. */
export function SidePanel({ isOpen, onClose, title, size = 560, children }: SidePanelProps) {
  const { t } = useTranslation()
  const { leave, wrap } = useLayer(isOpen, onClose)
  return (
    <Drawer
      opened={isOpen}
      onClose={leave}
      closeOnEscape={false}
      position="right"
      size={size}
      title={title}
      classNames={{ title: 'panel-title', body: 'panel-body' }}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {wrap(children)}
    </Drawer>
  )
}

/** The buttons of a form in a panel. They stay visible while the form scrolls. */
export function PanelFooter({ children }: { children: ReactNode }) {
  return <Box className="panel-footer">{children}</Box>
}
