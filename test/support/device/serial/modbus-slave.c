/*
 * A relay board that speaks Modbus RTU, by libmodbus:  modbus-slave PORT ADDRESS RELAYS EDGE_LOG INPUTS
 * Coils 0 and up are its relays; a write to 0x0200 + n switches relay n on for that many 100 ms, as Waveshare's boards do.
 * Each change of a relay is a line {"output","level","atMs"} in the log, with the time of CLOCK_MONOTONIC. Prints "ready"
 * once it listens. The file INPUTS has a character for each discrete input, `1` where it is high. Stopped by a signal, it is a board that hangs; at
 * SIGUSR1 it loses its own supply for a moment, and all relays fall.
 */
#include <errno.h>
#include <fcntl.h>
#include <modbus.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FLASH_ON 0x0200
#define FLASH_UNIT_MS 100.0
#define MAX_RELAYS 64
#define MAX_INPUTS 64

static int edge_log;
static int relays;
static uint8_t levels[MAX_RELAYS];
static double off_at_ms[MAX_RELAYS];
static volatile sig_atomic_t has_lost_supply;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void move(int relay, int level) {
  char line[128];
  if (levels[relay] == level) return;
  levels[relay] = level;
  int size = snprintf(line, sizeof line, "{\"output\":%d,\"level\":%d,\"atMs\":%.3f}\n", relay, level, now_ms());
  if (write(edge_log, line, size) != size) exit(1);
}

static void lose_supply(int unused) {
  (void)unused;
  has_lost_supply = 1;
}

static void *end_flashes(void *unused) {
  for (;;) {
    struct timespec pause = {0, 500000};
    nanosleep(&pause, NULL);
    pthread_mutex_lock(&lock);
    for (int relay = 0; relay < relays; relay += 1)
      if (has_lost_supply || (off_at_ms[relay] > 0 && now_ms() >= off_at_ms[relay])) {
        off_at_ms[relay] = 0;
        move(relay, 0);
      }
    has_lost_supply = 0;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void read_inputs(const char *path, uint8_t *inputs) {
  char text[MAX_INPUTS];
  int file = open(path, O_RDONLY);
  if (file < 0) return;
  ssize_t size = read(file, text, sizeof text);
  close(file);
  for (ssize_t n = 0; n < size; n += 1) inputs[n] = text[n] == '1';
}

int main(int count, char **arguments) {
  if (count != 6) return 2;
  modbus_t *bus = modbus_new_rtu(arguments[1], 9600, 'N', 8, 1);
  relays = atoi(arguments[3]);
  edge_log = open(arguments[4], O_WRONLY | O_CREAT | O_APPEND, 0644);
  modbus_mapping_t *coils = modbus_mapping_new(relays, MAX_INPUTS, 0, 0);
  if (!bus || !coils || edge_log < 0 || relays < 1 || relays > MAX_RELAYS) return 2;
  modbus_set_slave(bus, atoi(arguments[2]));
  if (modbus_connect(bus) < 0) return 1;
  signal(SIGUSR1, lose_supply);
  pthread_t flashes;
  if (pthread_create(&flashes, NULL, end_flashes, NULL) != 0) return 1;
  puts("ready");
  fflush(stdout);
  for (;;) {
    uint8_t query[MODBUS_RTU_MAX_ADU_LENGTH];
    int size = modbus_receive(bus, query);
    // Its wires are cut; garbled requests are errors too.
    if (size < 0 && (errno == ECONNRESET || errno == EIO || errno == EBADF)) return 0;
    if (size <= 0) continue;
    int coil = query[2] << 8 | query[3];
    pthread_mutex_lock(&lock);
    if (query[1] == MODBUS_FC_WRITE_SINGLE_COIL && coil >= FLASH_ON && coil < FLASH_ON + relays) {
      int relay = coil - FLASH_ON;
      off_at_ms[relay] = now_ms() + (query[4] << 8 | query[5]) * FLASH_UNIT_MS;
      move(relay, 1);
      modbus_send_raw_request(bus, query, 6);
    } else {
      for (int relay = 0; relay < relays; relay += 1) coils->tab_bits[relay] = levels[relay];
      read_inputs(arguments[5], coils->tab_input_bits);
      modbus_reply(bus, query, size, coils);
      for (int relay = 0; relay < relays; relay += 1) {
        if (!coils->tab_bits[relay]) off_at_ms[relay] = 0;
        move(relay, coils->tab_bits[relay]);
      }
    }
    pthread_mutex_unlock(&lock);
  }
}
