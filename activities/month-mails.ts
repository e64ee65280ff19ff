import type { Mail, MailMessage } from '@clinic/gateways/mail/mail';
import type { Stores } from '@clinic/prisma/stores';
import type { DueMonth } from '@clinic/prisma/stores/operations/month-mails';
import type { CaseResults } from '@clinic/prisma/stores/operations/results';
import { moneyOfClinic } from '@clinic/shared/currency';
import { comparedWith, monthFrom, type Period, spanOf } from '@clinic/shared/domain/operations/periods';
import { type CaseCounts, type Money, moneyOf, onEveryDay } from '@clinic/shared/domain/operations/results';
import { type Colour, pngOf, type Rectangle } from '@clinic/shared/png';

/** The results of a month, to those who asked for them. `publicUrl` is the dashboard's, without a slash at its end. */
export function createMonthMails({ stores, mail, publicUrl }: { stores: Stores; mail: Mail; publicUrl: string }) {
  return {
    due: stores.monthMails.due,

    /**
     * The month is noted as told when all of the mail but its last line is with the server: a process that ends before has sent nothing,
     * and after it nobody sends the month again. What the server refuses is tried again later.
     */
    async mailMonth(accountId: string): Promise<void> {
      const due = await stores.monthMails.dueMonth(accountId);
      if (!due) return;
      const message = messageOf(due, await monthOf(stores, due), publicUrl);
      let isClaimed = false;
      const handOver = async () => (isClaimed = await stores.monthMails.claim(accountId, due.month));
      const sent = await mail.send({ to: due.email, ...message, handOver });
      if (sent === 'failed') await stores.monthMails.giveBack(accountId, { ...due, isClaimed });
    },
  };
}

interface Month {
  period: Period;
  before: Period;
  currency: string;
  figures: Figures;
  figuresBefore: Figures;
  days: CaseCounts[];
  daysBefore: CaseCounts[];
}

interface Figures extends CaseCounts, Money {
  recoveredPatients: number;
}

/** As the page of results counts them: by when a case was opened, without those that the simulator played. */
async function monthOf(stores: Stores, { clinicId, month, zone }: DueMonth): Promise<Month> {
  const period = monthFrom(month);
  const before = comparedWith(period, 'before');
  const resultsOf = (of: Period) => stores.results.of(clinicId, { ...spanOf(of, zone), withSimulated: false });
  const [settings, now, then] = await Promise.all([
    stores.results.settings(clinicId),
    resultsOf(period),
    resultsOf(before),
  ]);
  const { currency, usdRate } = moneyOfClinic(settings);
  const figuresOf = ({ all, recoveredPatients }: CaseResults): Figures => ({
    ...all,
    ...moneyOf(all, { usdRate, recoveredPatients }),
    recoveredPatients,
  });
  return {
    period,
    before,
    currency,
    figures: figuresOf(now),
    figuresBefore: figuresOf(then),
    days: onEveryDay(period, now.byDay),
    daysBefore: onEveryDay(before, then.byDay),
  };
}

/** Numbers, and where they are looked into: a mail says nothing of a patient. */
function messageOf(
  { clinicName }: DueMonth,
  month: Month,
  publicUrl: string,
): Pick<MailMessage, 'subject' | 'text' | 'html' | 'pictures'> {
  const { period, before, figures, figuresBefore } = month;
  const [name, nameBefore] = [period, before].map(({ from }) => nameOfMonth(from));
  const lines = linesOf(month);
  const results = `${publicUrl}/results?from=${period.from}&until=${period.until}`;
  const said = `${figures.opened} cases were opened in ${name}, ${figures.recovered} of them recovered; in ${nameBefore} ${figuresBefore.opened} and ${figuresBefore.recovered}.`;
  const off = 'This mail is turned off on the page of results';
  return {
    subject: `${name} at ${clinicName}: ${figures.recoveredPatients} recovered`,
    text: `${name} at ${clinicName}, compared with ${nameBefore}:\n\n${lines
      .map(({ label, value, change }) => `  ${label}: ${value} (${change})`)
      .join('\n')}\n\n${said}\n\n${results}\n\n${off}: ${publicUrl}/results\n`,
    html: htmlOf({
      title: `${name} at ${clinicName}`,
      lead: `Compared with ${nameBefore}.`,
      lines,
      chart: `${said} Of each day: opened, recovered, and recovered in ${nameBefore}.`,
      scale: `The days of the month from left to right; the picture is ${highest(month)} cases high.`,
      results,
      off: `${off}.`,
    }),
    pictures: [{ cid: CHART, filename: `${period.from.slice(0, 7)}.png`, content: drawn(month) }],
  };
}

interface Line {
  label: string;
  value: string;
  change: string;
}

/** What has no value is left out: costs without a price of a dollar, and what a month without prices was worth. */
function linesOf({ currency, figures, figuresBefore }: Month): Line[] {
  const number = new Intl.NumberFormat('en-US');
  const money = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
  const line = (label: string, format: Intl.NumberFormat, now: number | null, then: number | null): Line[] =>
    now === null || then === null ? [] : [{ label, value: format.format(now), change: changeOf(now, then, format) }];
  return [
    ...line('Recovered patients', number, figures.recoveredPatients, figuresBefore.recoveredPatients),
    ...line('Value recovered', money, figures.valueRecovered, figuresBefore.valueRecovered),
    ...(figures.callCost === null
      ? line('Cost of calls', dollars, figures.callCostUsd, figuresBefore.callCostUsd)
      : line('Cost of calls', money, figures.callCost, figuresBefore.callCost)),
    ...line('Net', money, figures.net, figuresBefore.net),
  ];
}

function changeOf(now: number, then: number, format: Intl.NumberFormat): string {
  if (now === then) return 'as in the month before';
  return `${format.format(Math.abs(now - then))} ${now > then ? 'more' : 'less'} than in the month before`;
}

const nameOfMonth = (first: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'long', year: 'numeric' }).format(new Date(first));

const CHART = 'days';
/** Twice as many pixels as it is shown in. */
const size = { width: 1_120, height: 360 };
const colours = {
  opened: [166, 216, 211],
  recovered: [14, 107, 102],
  before: [73, 80, 87],
  ground: [206, 212, 218],
} as const satisfies Record<string, Colour>;

/** Of each day a column of those that were opened, before it those that were recovered, and a stroke for the month before. */
function drawn({ days, daysBefore }: Month): Buffer {
  const ground = size.height - 4;
  const most = highest({ days, daysBefore });
  const heightOf = (count: number) => (count / most) * (ground - 8);
  const step = size.width / Math.max(days.length, daysBefore.length);
  const columns = (counts: number[], colour: Colour): Rectangle[] =>
    counts.map((count, day) => ({
      x: (day + 0.15) * step,
      y: ground - heightOf(count),
      width: 0.7 * step,
      height: heightOf(count),
      colour,
    }));
  const strokes = daysBefore.map(({ recovered }, day): Rectangle => ({
    x: day * step,
    y: ground - heightOf(recovered) - 3,
    width: step,
    height: 6,
    colour: colours.before,
  }));
  return pngOf(size, [
    ...columns(
      days.map(({ opened }) => opened),
      colours.opened,
    ),
    ...columns(
      days.map(({ recovered }) => recovered),
      colours.recovered,
    ),
    ...strokes,
    { x: 0, y: ground, width: size.width, height: 4, colour: colours.ground },
  ]);
}

/** What the height of the picture stands for. */
const highest = ({ days, daysBefore }: Pick<Month, 'days' | 'daysBefore'>): number =>
  Math.max(1, ...days.map(({ opened }) => opened), ...daysBefore.map(({ recovered }) => recovered));

interface Shown {
  title: string;
  lead: string;
  lines: Line[];
  /** What the picture shows, for anyone who does not see it. */
  chart: string;
  /** What its width and its height stand for. */
  scale: string;
  results: string;
  off: string;
}

/** Tables and styles of the elements themselves, which is what mail clients keep. */
function htmlOf({ title, lead, lines, chart, scale, results, off }: Shown): string {
  const link = `href="${escaped(results)}" style="color:#0e6b66"`;
  const rows = lines.map(
    ({ label, value, change }) =>
      `<tr><td style="padding:6px 16px 6px 0">${label}</td><td style="padding:6px 16px 6px 0;font-size:20px;font-weight:600;white-space:nowrap"><a ${link}>${escaped(value)}</a></td><td style="padding:6px 0;color:#495057">${escaped(change)}</td></tr>`,
  );
  const key = (colour: Colour, words: string) =>
    `<span style="display:inline-block;width:11px;height:11px;background:rgb(${colour.join(',')})"></span> ${words} &nbsp; `;
  return `<!doctype html><html lang="en"><body style="margin:0;padding:24px;background:#ffffff;color:#16232b;font:15px/1.5 sans-serif">
<h1 style="font-size:20px;margin:0">${escaped(title)}</h1>
<p style="margin:4px 0 16px;color:#495057">${escaped(lead)}</p>
<table role="presentation" style="border-collapse:collapse;margin-bottom:16px">${rows.join('')}</table>
<a ${link}><img src="cid:${CHART}" width="${size.width / 2}" height="${size.height / 2}" alt="${escaped(chart)}" style="max-width:100%;height:auto"></a>
<p style="margin:8px 0 16px;font-size:13px;color:#495057">${key(colours.opened, 'opened')}${key(colours.recovered, 'of these recovered')}${key(colours.before, 'recovered in the month before')}<br>${escaped(scale)}</p>
<p><a ${link}>All results of the month</a></p>
<p style="font-size:13px;color:#495057">${escaped(off)}</p>
</body></html>
`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? sign);
