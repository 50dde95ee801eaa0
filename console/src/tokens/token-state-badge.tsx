import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { TokenState } from '../../../src/console-api/contract.ts'

const stateColor: Readonly<Record<TokenState, string>> = {
  active: 'teal',
  expired: 'orange',
  revoked: 'gray.5',
  orphaned: 'red',
}

export function TokenStateBadge({ state }: { state: TokenState }) {
  const { t } = useTranslation()
  return (
    <Badge color={stateColor[state]} variant="dot">
      {t(`tokens.state.${state}`)}
    </Badge>
  )
}
