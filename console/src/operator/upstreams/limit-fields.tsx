import { SimpleGrid, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import type { ShownTimeouts } from '../../../../src/console-api/contract.ts'
import { countMax, waitMsMax } from '../../../../src/fields/problems.ts'
import { NumberInput } from '../../parts/forms/inputs.tsx'
import { Select } from '../../parts/forms/select.tsx'
import { abortChoices, timeoutNames, type UpstreamValues } from './upstream-values.ts'

/** Concurrency, timeouts and billing after a disconnect. Empty fields use the gateway's defaults. */
export function LimitFields(props: {
  form: UseFormReturnType<UpstreamValues>
  defaults: ShownTimeouts | undefined
}) {
  const { t } = useTranslation()
  const { form, defaults } = props
  return (
    <Stack>
      <NumberInput
        label={t('upstreams.concurrency')}
        description={t('upstreams.concurrencyHint')}
        placeholder={t('upstreams.noLimit')}
        min={1}
        max={countMax}
        allowDecimal={false}
        {...form.getInputProps('concurrencyMax')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="xs">
        {timeoutNames.map((name) => (
          <NumberInput
            key={name}
            label={t(`upstreams.timeout.${name}`)}
            min={0.1}
            max={waitMsMax / 1_000}
            decimalScale={1}
            hideControls
            placeholder={defaults ? String(defaults[name] / 1_000) : t('setting.default')}
            {...form.getInputProps(`timeouts.${name}`)}
          />
        ))}
      </SimpleGrid>
      <Select
        label={t('upstreams.abort')}
        description={t('upstreams.abortHint')}
        data={abortChoices.map((value) => ({ value, label: t(`upstreams.abort.${value}`) }))}
        allowDeselect={false}
        {...form.getInputProps('billsOnAbort')}
      />
    </Stack>
  )
}
