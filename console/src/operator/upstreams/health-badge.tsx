import { Badge, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { UpstreamHealth, UpstreamRow } from '../../../../src/console-api/contract.ts'
import { formatRecent } from '../../format/times.ts'

const colors: Readonly<Record<UpstreamHealth['state'], string>> = {
  healthy: 'teal',
  degraded: 'orange',
  down: 'red',
  unknown: 'gray.5',
}

/** Health of an upstream as measured by this replica, and why the upstream is skipped. */
export function HealthBadge({ upstream }: { upstream: UpstreamRow }) {
  const { t, i18n } = useTranslation()
  const { state, breaker, openUntil } = upstream.health
  if (!upstream.isEnabled) {
    return (
      <Badge color="gray.5" variant="dot">
        {t('upstreams.off')}
      </Badge>
    )
  }
  if (upstream.needsCredential)
    return <Badge color="orange">{t('upstreams.needsCredential')}</Badge>
  const note =
    breaker === 'closed'
      ? undefined
      : breaker === 'open' && openUntil !== null
        ? t('upstreams.openUntil', { time: formatRecent(openUntil, i18n.language) })
        : t(`upstreams.breaker.${breaker}`)
  return (
    <Stack gap={2} align="flex-start">
      <Badge color={colors[state]} variant="dot">
        {t(`upstreams.health.${state}`)}
      </Badge>
      {note !== undefined && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Stack>
  )
}
