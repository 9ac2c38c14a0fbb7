import type { JSX } from 'preact';
import type { ShownCommand } from '../../../src/agent/technician/local-messages/device';
import { known } from '../../../src/locales/common';
import { outcomeInWords, type PageTranslations } from '../../../src/locales/page';
import { inWords } from '../duration';
import { usePage } from '../page-context';
import { Card } from '../parts/card';
import { Marked } from '../parts/notice';
import { HistoryCard } from './history-card';

/** What was commanded lately, and what people did at this device. */
export function ActivityView(): JSX.Element {
  return (
    <div class="cards">
      <CommandsCard />
      <HistoryCard />
    </div>
  );
}

function CommandsCard(): JSX.Element {
  const { t, status } = usePage();
  const commands = [...status.lastCommands].reverse();
  return (
    <Card title={t.past.commands}>
      {commands.length === 0 ? (
        <p class="hint">{t.past.noCommands}</p>
      ) : (
        <ol class="entries">
          {commands.map((command) => (
            <li key={`${command.words} ${command.at} ${command.agoMs}`}>
              <Command command={command} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

function Command({ command }: { command: ShownCommand }): JSX.Element {
  const { t, status } = usePage();
  const { numOutput, by, outcome, reason, agoMs } = command;
  const name = status.outputs[numOutput]?.name ?? t.output(numOutput);
  const isWell = outcome === 'executed' || outcome === 'already-set';
  return (
    <>
      <p class="beside">
        <strong>
          {moveInWords(t, command.words)} · {name}
        </strong>
        <span class="small">{t.past.ago(inWords(t, agoMs))}</span>
      </p>
      <Marked icon={isWell ? 'good' : 'warn'}>{outcomeInWords(t, outcome, reason)}</Marked>
      <p class="small">{by === null ? t.past.byNobody : t.past.by(by)}</p>
    </>
  );
}

/** "set 0 on", "toggle 1", "pulse 2", as the agent says it. */
function moveInWords({ commands }: PageTranslations, agentWords: string): string {
  const [action = '', , state] = agentWords.split(' ');
  return known(commands, state ?? action) ?? agentWords;
}
