/** Settings of an output. The agent says which, and what they may be. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { OutputStatus } from '../../../src/agent/technician/local-messages/device';
import type { OutputReply } from '../../../src/agent/technician/local-messages/outputs';
import type { PageSession } from '../../../src/agent/technician/web/page-session';
import { known } from '../../../src/locales/common';
import type { Words } from '../../../src/locales/page';
import { exactly } from '../duration';
import { usePage } from '../page-context';
import type { Action } from '../parts/action';
import { Field } from '../parts/field';
import { PanelForm } from '../parts/panel-form';

type OutputField = PageSession['outputFields'][number];
type Member = OutputField['member'];

interface OutputSettingsFormProps {
  output: OutputStatus;
  action: Action;
  onClose(): void;
}

export function OutputSettingsForm({ output, action, onClose }: OutputSettingsFormProps): JSX.Element {
  const { words, session, ask } = usePage();
  const fields = session.outputFields;
  const [typed, setTyped] = useState<Partial<Record<Member, string>>>({});

  const textOf = ({ member }: OutputField): string => typed[member] ?? String(output[member]);

  const save = (): void => {
    const change = Object.fromEntries(
      fields
        .map((field) => [field.member, field.rangeMs ? Number(textOf(field)) : textOf(field)] as const)
        .filter(([member, value]) => value !== output[member]),
    );
    if (Object.keys(change).length === 0) return action.show({ isWell: true, text: words.nothingChanged });
    action.run(async () => {
      const reply = await ask('output', { numOutput: output.numOutput, change, force: false });
      onClose();
      return words.saved(changesInWords(words, fields, reply));
    });
  };

  const inputOf = (field: OutputField): JSX.Element => {
    const { member, choices, rangeMs } = field;
    return (
      <Field
        key={member}
        label={words.outputFields[member]}
        {...(rangeMs && { hint: hintOf(words, member, rangeMs) })}
        choices={choices.map((choice) => [choice, valueInWords(words, member, choice)])}
        isNumber={rangeMs !== null}
        value={textOf(field)}
        onText={(text) => setTyped({ ...typed, [member]: text })}
      />
    );
  };

  return (
    <PanelForm action={action} save={words.save} onSave={save} onCancel={onClose}>
      {fields.map(inputOf)}
    </PanelForm>
  );
}

function hintOf(words: Words, member: Member, { least, most }: NonNullable<OutputField['rangeMs']>): string {
  const range = words.range(exactly(words, least), exactly(words, most));
  const hints: Partial<Record<Member, string>> = words.fieldHints;
  return `${range} ${hints[member] ?? ''}`;
}

function changesInWords(words: Words, fields: readonly OutputField[], { before, after }: OutputReply): string {
  return fields
    .filter(({ member }) => before[member] !== after[member])
    .map(
      ({ member }) => `${valueInWords(words, member, before[member])} → ${valueInWords(words, member, after[member])}`,
    )
    .join(', ');
}

function valueInWords(words: Words, member: Member, value: string | number): string {
  if (typeof value === 'number') return exactly(words, value);
  const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = words.choices;
  return known(choices[member] ?? {}, value) ?? value;
}
