import { Badge, Group, Progress, Stack, Text, Tooltip } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { BudgetState } from '../../../src/console-api/contract.ts'
import { fitDollars, formatDollars } from '../format/dollars.ts'
import { IconArrowNarrowRight } from '../icons/icons.ts'
import { BudgetList } from '../parts/values/budget-list.tsx'
import { Money } from '../parts/values/money.tsx'

/** The groups of a key. Arrows show the order in which several groups are tried. */
export function GroupsCell({ groups }: { groups: readonly string[] }) {
  const { t } = useTranslation()
  const badges = groups.map((group, index) => (
    <Group key={group} gap={2} wrap="nowrap">
      {index > 0 && <IconArrowNarrowRight size={14} stroke={1.4} aria-hidden />}
      <Badge color="gray">{group}</Badge>
    </Group>
  ))
  const list = <Group gap={2}>{badges}</Group>
  return groups.length > 1 ? <Tooltip label={t('keys.automatic')}>{list}</Tooltip> : list
}

export function ModelsCell({ models }: { models: readonly string[] | null }) {
  const { t } = useTranslation()
  if (models === null) {
    return (
      <Text size="sm" c="dimmed">
        {t('keys.allModels')}
      </Text>
    )
  }
  if (models.length === 0) {
    return (
      <Text size="sm" c="orange">
        {t('keys.noModels')}
      </Text>
    )
  }
  const [first] = models
  if (models.length === 1) {
    return (
      <Text size="sm" truncate maw={160} title={first}>
        {first}
      </Text>
    )
  }
  return (
    <Tooltip label={models.slice(0, 30).join(', ')} multiline maw={360}>
      <Text size="sm" td="underline dotted" span>
        {t('keys.modelCount', { count: models.length })}
      </Text>
    </Tooltip>
  )
}

/** The spent amount, with quota and budgets. */
export function QuotaCell({
  spentNano,
  quotaNano,
  budgets,
  maxWidth,
}: {
  spentNano: string
  quotaNano: string | null
  budgets: readonly BudgetState[]
  maxWidth?: number
}) {
  const { t } = useTranslation()
  const part = quotaNano === null ? 0 : percentOf(BigInt(spentNano), BigInt(quotaNano))
  return (
    <Stack gap={4} miw={120} maw={maxWidth}>
      <Text size="sm" component="div">
        <Money nano={spentNano} />{' '}
        {quotaNano === null ? (
          budgets.length === 0 && (
            <Text size="xs" c="dimmed">
              {t('keys.noQuota')}
            </Text>
          )
        ) : (
          <Text span size="xs" c="dimmed" className="figures" title={formatDollars(quotaNano)}>
            {t('keys.ofQuota', { quota: fitDollars(quotaNano) ?? formatDollars(quotaNano) })}
          </Text>
        )}
      </Text>
      {quotaNano !== null && (
        <Progress
          value={part}
          size="sm"
          color={part >= 100 ? 'red' : part >= 80 ? 'orange' : 'teal'}
          aria-label={t('keys.quota')}
        />
      )}
      <BudgetList budgets={budgets} />
    </Stack>
  )
}

function percentOf(part: bigint, whole: bigint): number {
  return whole <= 0n ? 100 : Math.min(100, Number((part * 1000n) / whole) / 10)
}
