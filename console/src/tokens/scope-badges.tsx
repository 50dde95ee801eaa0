import { Badge, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AdminScope } from '../../../src/console-api/contract.ts'

export function ScopeBadges({ scopes }: { scopes: readonly AdminScope[] }) {
  const { t } = useTranslation()
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Badge key={scope} color={scope === 'all' ? 'orange' : 'gray'}>
          {t(`tokens.scope.${scope}`)}
        </Badge>
      ))}
    </Group>
  )
}
