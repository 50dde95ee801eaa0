import { Alert, Divider, Group, Paper, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { StatementAnswer } from '../../../src/console-api/contract.ts'
import { formatDollars } from '../format/dollars.ts'
import { IconAlertTriangle, IconCircleCheck } from '../icons/icons.ts'
import { Money } from '../parts/values/money.tsx'

type Figures = {
  readonly [Name in keyof StatementAnswer]: NonNullable<StatementAnswer[Name]>
}

/** Whether the statement has the figures of the account: a member who does not own the account sees own spending only. */
export function isOfAccount(statement: StatementAnswer): statement is Figures {
  return statement.openingNano !== null
}

/** The balance as a sum that the reader can check. */
export function BalanceCard({ statement }: { statement: Figures }) {
  const { t } = useTranslation()
  const nowNano = BigInt(statement.availableNano) + BigInt(statement.heldNano)
  const isExplained = BigInt(statement.differenceNano) === 0n
  return (
    <Paper withBorder p="md">
      <Stack gap={8}>
        <Line name={t('billing.opening')} nano={statement.openingNano} />
        <Line name={t('billing.credits')} nano={statement.creditedNano} sign="+" />
        <Line name={t('billing.spending')} nano={statement.spentNano} sign="−" />
        <Divider />
        <Line name={t('billing.closing')} nano={statement.closingNano} isSum />
        {BigInt(statement.sinceNano) !== 0n && (
          <Line name={t('billing.since')} nano={statement.sinceNano} />
        )}
        <Divider />
        <Line name={t('billing.available')} nano={statement.availableNano} />
        <Line name={t('billing.held')} nano={statement.heldNano} sign="+" />
        <Divider />
        <Line name={t('billing.balance')} nano={nowNano} isSum />
        {isExplained ? (
          <Group gap={6} c="teal">
            <IconCircleCheck size={16} />
            <Text size="sm">{t('billing.addsUp')}</Text>
          </Group>
        ) : (
          <Alert color="red" icon={<IconAlertTriangle />}>
            {t('billing.differs', { amount: formatDollars(statement.differenceNano) })}
          </Alert>
        )}
      </Stack>
    </Paper>
  )
}

function Line(props: { name: string; nano: string | bigint; sign?: string; isSum?: boolean }) {
  const { name, nano, sign, isSum = false } = props
  const weight = isSum ? 600 : 400
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" fw={weight}>
        {name}
      </Text>
      <Text size="sm" fw={weight} component="div" style={{ whiteSpace: 'nowrap' }}>
        {sign !== undefined && (
          <Text span c="dimmed" mr={6}>
            {sign}
          </Text>
        )}
        <Money nano={nano} />
      </Text>
    </Group>
  )
}
