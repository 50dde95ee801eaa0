import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useScope } from '../parts/dialogs/unsaved.tsx'

interface StepButtonsProps {
  readonly onBack?: (() => void) | undefined
  readonly onNext: () => void
  /** Whether the step is done. Otherwise the button says Skip. */
  readonly isDone: boolean
  /** Extra actions of the step. */
  readonly children?: ReactNode
}

export function StepButtons({ onBack, onNext, isDone, children }: StepButtonsProps) {
  const { t } = useTranslation()
  const scope = useScope()
  return (
    <Group justify="space-between" mt="lg" gap="xs">
      {onBack ? (
        <Button variant="subtle" color="gray" onClick={() => scope.leave(onBack)}>
          {t('setup.back')}
        </Button>
      ) : (
        <span />
      )}
      <Group gap="xs">
        {children}
        <Button variant={isDone ? 'filled' : 'default'} onClick={() => scope.leave(onNext)}>
          {isDone ? t('setup.next') : t('setup.skip')}
        </Button>
      </Group>
    </Group>
  )
}
