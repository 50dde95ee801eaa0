import { Group, Paper, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Mover, SeriesBy } from '../../../src/console-api/contract.ts'
import { formatCount } from '../format/counts.ts'
import { formatShortDollars } from '../format/dollars.ts'
import { Money } from '../parts/values/money.tsx'
import { ChangeMark } from './change-mark.tsx'

/** Models and keys whose cost changed most since the previous period. */
export function MoversList({ movers, by }: { movers: readonly Mover[]; by: SeriesBy }) {
  const { t } = useTranslation()
  if (movers.length === 0) {
    return (
      <Paper withBorder p="md">
        <Text size="sm" c="dimmed">
          {t('overview.noChanges')}
        </Text>
      </Paper>
    )
  }
  return (
    <Paper withBorder px="md" py="xs">
      <Stack gap={0}>
        {movers.map((mover) => (
          <Group key={mover.id} justify="space-between" wrap="nowrap" py={7} gap="sm">
            <div style={{ minWidth: 0 }}>
              <Text size="sm" fw={500} lineClamp={1} style={{ overflowWrap: 'anywhere' }}>
                {mover.id === ''
                  ? t(`chart.nameless.${by === 'group' ? 'group' : 'model'}`)
                  : mover.name}
              </Text>
              <Text size="xs" c="dimmed">
                {t('overview.moverRequests', {
                  count: mover.requests,
                  text: formatCount(mover.requests),
                })}{' '}
                · {t('overview.before', { figure: formatCount(mover.requestsBefore) })}
              </Text>
            </div>
            <Stack gap={0} align="flex-end">
              <Text size="sm" component="div">
                <Money nano={mover.costNano} isShort />
              </Text>
              <Note mover={mover} />
            </Stack>
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}

function Note({ mover }: { mover: Mover }) {
  const { t } = useTranslation()
  const word =
    mover.requestsBefore === 0 ? t('overview.new') : mover.requests === 0 && t('overview.gone')
  if (word !== false) {
    return (
      <Text size="xs" c="dimmed">
        {word}
      </Text>
    )
  }
  return (
    <Group gap={6} wrap="nowrap">
      <Text size="xs" c="dimmed" className="figures">
        {t('overview.before', { figure: formatShortDollars(mover.costBeforeNano) })}
      </Text>
      <ChangeMark now={Number(mover.costNano)} before={Number(mover.costBeforeNano)} />
    </Group>
  )
}
