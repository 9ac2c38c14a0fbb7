// A line for each test as it ends: a suite that boots machines is silent for minutes otherwise.
const MARKS = { passed: '✓', failed: '✗' };

module.exports = class LiveReporter {
  onTestCaseResult(_test, { status, ancestorTitles, title, duration, failureMessages }) {
    const took = `${((duration ?? 0) / 1000).toFixed(1)} s`;
    process.stderr.write(`${MARKS[status] ?? '-'} ${[...ancestorTitles, title].join(': ')} (${took})\n`);
    for (const message of failureMessages) process.stderr.write(`${message}\n`);
  }
};
