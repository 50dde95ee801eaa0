import { Button, Group, Paper, Stack, Table, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  AddCreditRequest,
  OperatorAccountDetail,
} from '../../../../src/console-api/contract.ts'
import { creditProblem, nameProblem, nanoOfDollars } from '../../../../src/console-api/rules.ts'
import { post } from '../../api/client.ts'
import { useCreditText } from '../../codes/use-credit-text.ts'
import { useOriginText } from '../../codes/use-origin-text.ts'
import { formatMoment } from '../../format/times.ts'
import { Money } from '../../parts/money.tsx'
import { useErrorText } from '../../parts/use-error-text.ts'
import { useRuleText } from '../../parts/use-rule-text.ts'
import { useFormChange } from '../parts/use-form-change.ts'

/** Grants credit with a reason, above the credits there were. */
export function CreditPart({ account }: { account: OperatorAccountDetail }) {
  const { t, i18n } = useTranslation()
  const creditText = useCreditText()
  const originText = useOriginText()
  return (
    <Stack>
      <CreditForm accountId={account.id} />
      {account.credits.length > 0 && (
        <Table bg="var(--mantine-color-body)" withTableBorder fz="sm" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('people.reason')}</Table.Th>
              <Table.Th ta="right">{t('people.amount')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {account.credits.map((credit) => (
              <Table.Tr key={`${credit.source} ${credit.externalId}`}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {creditText(credit)}
                  <Text size="xs" c="dimmed">
                    {formatMoment(credit.at, i18n.language)} · {originText(credit.source)}
                  </Text>
                </Table.Td>
                <Table.Td ta="right">
                  <Money nano={credit.amountNano} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  )
}

function CreditForm({ accountId }: { accountId: string }) {
  const { t } = useTranslation()
  const ruleText = useRuleText()
  const errorText = useErrorText()
  // Sent twice it is granted once; a new id only after it has been granted.
  const externalId = useRef(newExternalId())
  const form = useForm({
    initialValues: { amount: '', reason: '' },
    validate: {
      amount: (amount) => {
        const nano = nanoOfDollars(amount)
        return ruleText(nano === undefined ? 'amount_wrong' : creditProblem(nano))
      },
      reason: (reason) => ruleText(nameProblem(reason)),
    },
  })
  const grant = useFormChange(
    form,
    (body: AddCreditRequest) =>
      post<OperatorAccountDetail>(
        `/operate/accounts/${encodeURIComponent(accountId)}/credits`,
        body,
      ),
    {
      done: t('people.credited'),
      onDone: () => {
        externalId.current = newExternalId()
        form.reset()
      },
    },
  )
  return (
    <Paper withBorder p="md">
      <form
        noValidate
        onSubmit={form.onSubmit(({ amount, reason }) =>
          grant.mutate({
            amountNano: nanoOfDollars(amount) ?? '0',
            reason,
            externalId: externalId.current,
          }),
        )}
      >
        <Stack gap="sm">
          <Group grow align="flex-start" preventGrowOverflow={false}>
            <TextInput
              label={t('people.amount')}
              leftSection="$"
              inputMode="decimal"
              w={140}
              {...form.getInputProps('amount')}
            />
            <TextInput
              label={t('people.reason')}
              placeholder={t('people.reasonExample')}
              {...form.getInputProps('reason')}
            />
          </Group>
          {grant.error && (
            <Text size="sm" c="red" role="alert">
              {errorText(grant.error)}
            </Text>
          )}
          <Group justify="flex-end">
            <Button type="submit" size="xs" loading={grant.isPending}>
              {t('people.grant')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}

/** Not crypto.randomUUID: that is only there on https and on this machine itself. */
function newExternalId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
