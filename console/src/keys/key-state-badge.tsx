import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { KeyState } from '../../../src/console-api/contract.ts'

const stateColor: Readonly<Record<KeyState, string>> = {
  active: 'teal',
  disabled: 'gray.5',
  expired: 'orange',
  exhausted: 'red',
  stopped: 'orange',
}

export function KeyStateBadge({ state }: { state: KeyState }) {
  const { t } = useTranslation()
  return (
    <Badge color={stateColor[state]} variant="dot">
      {t(`keys.state.${state}`)}
    </Badge>
  )
}
